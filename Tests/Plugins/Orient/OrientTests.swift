// Orient
